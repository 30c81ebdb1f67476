// Graphs: work that is kept to be done again, with what each piece of it waits for; captured from streams or put together by hand.
#pragma once
#include <memory>
#include <vector>

#include "streams.h"

struct CUgraphNode_st {
  emu::About about;
  emu::Work work;                            // may be done any number of times
  std::vector<CUgraphNode_st*> needs;
};
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};

namespace emu {

using GraphNodes = std::vector<CUgraphNode_st*>;

// From now on what is put into the stream becomes nodes of the graph behind `needs`. False if the stream is being captured already.
bool begin_capture(void* stream, std::shared_ptr<CUgraph_st> into, GraphNodes needs);
bool is_capturing(const void* stream);
// Adds work that would be put into the stream; false if the stream is not being captured.
bool capture(void* stream, const About& about, const Work& work);
// What the next node of the stream would wait for, and the graph it belongs to.
struct CapturePoint {
  std::shared_ptr<CUgraph_st> graph;         // nullptr: none
  GraphNodes needs;
};
CapturePoint capture_point(const void* stream);
// The next node of the stream waits for the point as well; a stream that is not being captured joins the point's capture.
// False if it is being captured into another graph.
bool wait_for_point(void* stream, const CapturePoint& point);
// Ends the capture that began in the stream, in all streams that joined it. `is_joined`: nothing in other streams is left that this one
// does not wait for.
CapturePoint end_capture(void* stream, bool& is_joined);

// The same for this stream alone.
void leave_capture(void* stream);

// The nodes, each behind those that it needs; empty if they wait for each other in a ring.
GraphNodes in_order(const CUgraph_st& graph);

}  // namespace emu
