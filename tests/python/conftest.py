"""What all tests of the package share."""
