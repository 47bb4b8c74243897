# Doxygen's view of a header: its first comment is about the file, and all in it belongs to a group. Lines keep their
# numbers. What is in `detail` is the library's own affair.
function group(path) {
  if (path ~ /(^|\/)troupe\.h$/) return "c"
  if (path ~ /(^|\/)plugin\.hpp/) return "plugins"
  if (path ~ /(^|\/)(access|arguments|codelet|devices|inline_kernel|kernel_context|layout|opencl|openmp_team|team)\.hpp/) return "codelets"
  if (path ~ /(^|\/)(report|trace|why)\.hpp/) return "traces"
  if (path ~ /(^|\/)(emulation_options|machine|simulation_options)\.hpp/) return "simulation"
  if (path ~ /(^|\/)include\/troupe\//) return "client"
  if (path ~ /(^|\/)graph\//) return "codelets"
  if (path ~ /(^|\/)(kernels|linalg)\//) return "linalg"
  if (path ~ /(^|\/)(traces|actors\/(observation|reporting))\//) return "traces"
  if (path ~ /(^|\/)actors\/scheduler\//) return "policies"
  if (path ~ /(^|\/)(actors\/simulating|platform)\//) return "simulation"
  return "client"
}
FNR == 1 { sub(/^(\/\/\/|\/\*) /, "&@header "); name = group(FILENAME) }
/^\/\* / { sub(/^\/\* /, "/** ") }
# A group does not reach into a namespace: it begins and ends inside of those that have an empty line first, as others
# only declare names.
/^$/ && begins { $0 = "/** @addtogroup " name " */ /** @{ */"; inside = 1 }
{ begins = 0 }
/^namespace troupe(::[a-z]+)* {$/ { begins = 1 }
/^}  \/\/ namespace troupe/ && inside { inside = 0; $0 = "/** @} */ " $0 }
/^#define TROUPE_C_H/ { in_c = 1 }
/^$/ && in_c == 1 { $0 = "/** @addtogroup " name " */ /** @{ */"; in_c = 2 }
/^namespace detail {/ { hidden = 1 }
{ print hidden ? "" : $0 }
/^}  \/\/ namespace detail/ { hidden = 0 }
END { if (in_c) print "/** @} */" }
