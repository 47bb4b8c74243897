#!/bin/sh
# timed_step.sh LOG TARGET OUTPUT COMMAND...: runs a step of the build. If the step succeeds, a line is appended to LOG:
# the processor time of the command in its program and in the kernel, as the shell writes them (0m1.250000s), the
# target, the program and the output. scripts/build-cost reads these lines.
log=$1 target=$2 output=$3
shift 3
"$@" || exit
# The shell itself measures the times, so that no program is needed for it. It writes them to a file: a pipe would
# measure another shell.
if times >"$log.$$" && { read -r own; read -r user system; } <"$log.$$"; then
  # The line is written at once, so that lines of steps that end at the same time stay whole.
  echo "$user $system $target ${1##*/} $output" >>"$log"
  rm -f "$log.$$"
fi
