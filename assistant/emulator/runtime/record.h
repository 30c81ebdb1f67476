// Recording: what every launch could reach, before and after, and what reached the host.
//
// Also written by the library that captures launches on a GPU (`device/capture/inject`), where FUNCTION is a mangled symbol.
// Written as a folder: `log`, one line per item in program order, beside `blobs/`. Lines, fields separated by one space:
//   buffer ID ADDRESS SIZE SPACE SYMBOL TYPE       (- where there is none; text is percent-encoded)
//   launch INDEX FUNCTION GX GY GZ BX BY BZ SHARED LINE FILE [STREAM]      STREAM: a word for it, known to the emulator
//   skipped INDEX FUNCTION GX GY GZ BX BY BZ SHARED REASON [STREAM]        a launch without contents
//   argument SIZE HEX                               of the launch above, in order
//   argument_pointer ARGUMENT OFFSET BUFFER BUFFER_OFFSET
//   passed SIZE HEX / passed_pointer ARGUMENT OFFSET BUFFER BUFFER_OFFSET       the same of the skipped launch above
//   before BUFFER BLOB / after BUFFER BLOB
//   pointer BUFFER OFFSET TARGET TARGET_OFFSET      inside a buffer, before the launch
//   poisoned BUFFER                                 nothing has written it before the launch (known in mode `check` only)
//   failed                                          the launch above ended with an error
//   cut BLOCKS                                      the launch above was stopped after so many blocks: time was up
//   left_out                                        the skipped launch above did not run, or not all of it: time was up
//   transfer KIND BLOB SIZE AFTER_LAUNCH TYPE BUFFER BUFFER_OFFSET [ISSUED]     buffer -1: none; ISSUED orders those of a late run
//   overtook KIND FUNCTION LINE KIND FUNCTION LINE  of a late run: what ran before what was issued earlier and uses the same memory
//   upload BLOB SIZE BUFFER BUFFER_OFFSET POINTERS  bytes of the host's that were copied to the device; POINTERS 1: some are device addresses
//   uploads_cut                                     of this upload and further ones there are `uploaded` lines at most
//   sees_operations                                 what follows holds every `operation`
//   operation KIND COUNT BYTES [STREAM [WAITED PINNED]]   work of the device's that is no launch: copy_to_device, copy_to_host, copy_on_device,
//                                                   fill; lines of one kind add up. With STREAM (- where it is not known) it is one call of
//                                                   the program's, of COUNT rows, and stands where it was asked for
//   call KIND BYTES                                 allocation or free, where it was asked for; enter or leave: of a host function
//                                                   whose calls are noted
//   order KIND STREAM EVENT                         as emu_on_order (abi.h), in the order of the calls; EVENT 0: none
//   node [NEEDED ...]                               what follows is the next step of the graph that runs; NEEDED: earlier ones, by their place
//   step KIND STREAM BYTES START END [FUNCTION GX GY GZ BX BY BZ SHARED]   of a run that is only timed: what ran, in the order of the calls;
//                                                   KIND launch, or as of operation; START and END in ns
//   steps KIND COUNT NS [FUNCTION GX GY GZ BX BY BZ SHARED]     in place of all `step`s of a run that has too many for their order to be kept
//   uploaded NAME                                   as upload, of bytes that are not kept: equal for equal ones; - where they hold addresses
//   asked KIND STREAM BYTES [FUNCTION GX GY GZ BX BY BZ SHARED]    what ran, as of step, in the order of the calls; of a run whose launches
//                                                   have lines of their own without STREAM
//   unwritten ERRNO                                 a file could not be written to its end
//   cooperative                                     the launch above is one
//   launching FUNCTION                              a kernel that may launch others on the device
//   time FUNCTION GX GY GZ BX BY BZ SHARED NS       what launches took on a GPU; lines of one shape add up
//   note TEXT                                       something that could not be captured
#pragma once
#include <cstdint>
#include <vector>

#include "abi.h"
#include "streams.h"

namespace emu {

struct LaunchRecord {
  bool is_kept = false;
  struct Region { uint64_t id, begin, bytes; };
  std::vector<Region> regions;
};

// No-ops unless EMU_RECORD names a folder.
LaunchRecord begin_record(uint32_t index, const EmuLaunch& request);
enum class LaunchEnd { whole, cut, failed };
// `blocks_run`: of a launch that was cut.
void end_record(const LaunchRecord& record, LaunchEnd end, uint64_t blocks_run);
// A launch that does not run for lack of time.
void record_left_out(uint32_t index, const EmuLaunch& request);
void flush_record();
// Of a late run, in which nothing may ever run: what is unfinished at its end is written as well.
void begin_recording();
// The next step of the graph that runs, which waits for earlier ones of it.
void note_node(const std::vector<size_t>& needs);
// The first few pairs of a late run are kept.
void note_overtaking(const About& first, const About& earlier);

}  // namespace emu
