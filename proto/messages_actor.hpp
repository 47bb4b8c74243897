/// Registers the messages with CAF. Only for the files that contain CAF actors.
#pragma once

#include <caf/all.hpp>

#include "proto/messages.hpp"

CAF_BEGIN_TYPE_ID_BLOCK(troupe, first_custom_type_id)
CAF_ADD_TYPE_ID(troupe, (troupe::StartWorker))
CAF_ADD_TYPE_ID(troupe, (troupe::WorkerStarted))
CAF_ADD_TYPE_ID(troupe, (troupe::ReplaceDead))
CAF_ADD_TYPE_ID(troupe, (troupe::WorkAvailable))
CAF_ADD_TYPE_ID(troupe, (troupe::Continue))
CAF_ADD_TYPE_ID(troupe, (troupe::StealRequest))
CAF_ADD_TYPE_ID(troupe, (troupe::StealReply))
CAF_ADD_TYPE_ID(troupe, (troupe::TasksActivated))
CAF_ADD_TYPE_ID(troupe, (troupe::Decide))
CAF_ADD_TYPE_ID(troupe, (troupe::DeviceDone))
CAF_ADD_TYPE_ID(troupe, (troupe::DataArrived))
CAF_ADD_TYPE_ID(troupe, (troupe::DataRequested))
CAF_ADD_TYPE_ID(troupe, (troupe::Stop))
CAF_END_TYPE_ID_BLOCK(troupe)

// Messages are never sent to another process, so CAF need not be able to serialize them.
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::StartWorker)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::WorkerStarted)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::ReplaceDead)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::WorkAvailable)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Continue)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::StealRequest)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::StealReply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::TasksActivated)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Decide)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::DeviceDone)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::DataArrived)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::DataRequested)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Stop)
