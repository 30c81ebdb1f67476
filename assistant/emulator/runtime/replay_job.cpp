#include "replay_job.h"

#include <fstream>
#include <sstream>

namespace emu {
namespace {

std::string decode(const std::string& word) {
  if (word == "-") return "";
  std::string text;
  for (size_t i = 0; i < word.size(); ++i) {
    if (word[i] == '%' && i + 2 < word.size()) {
      text += static_cast<char>(std::stoi(word.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      text += word[i];
    }
  }
  return text;
}

std::vector<unsigned char> decode_hex(const std::string& word) {
  std::vector<unsigned char> bytes;
  if (word == "-") return bytes;
  for (size_t i = 0; i + 1 < word.size(); i += 2) bytes.push_back(static_cast<unsigned char>(std::stoi(word.substr(i, 2), nullptr, 16)));
  return bytes;
}

ReplayPointer read_pointer(std::istream& in) {
  ReplayPointer p{};
  in >> p.container >> p.offset >> p.target >> p.target_offset;
  return p;
}

void read_buffer(ReplayJob& job, std::istream& in) {
  uint64_t id;
  std::string space, symbol, path;
  ReplayBuffer buffer;
  in >> id >> buffer.size >> space >> symbol >> path >> buffer.is_poisoned;
  buffer.space = space == "managed" ? EMU_MANAGED : space == "host" ? EMU_PINNED : EMU_DEVICE;
  buffer.symbol = decode(symbol);
  buffer.contents_path = decode(path);
  job.buffers[id] = buffer;
}

void read_launch(ReplayJob& job, std::istream& in) {
  ReplayLaunch launch;
  std::string name;
  in >> name >> launch.function;
  for (unsigned* n : {&launch.grid.x, &launch.grid.y, &launch.grid.z, &launch.block.x, &launch.block.y, &launch.block.z}) in >> *n;
  in >> launch.shared_bytes;
  launch.name = decode(name);
  job.launches.push_back(launch);
}

bool read_item(ReplayJob& job, const std::string& item, std::istream& in) {
  unsigned byte;
  if (item == "unkept") {
    job.is_kept = false;
    return true;
  }
  if (item == "fill" && in >> byte) job.fill = static_cast<uint8_t>(byte);
  else if (item == "shared_fill" && in >> byte) job.shared_fill = static_cast<uint8_t>(byte);
  else if (item == "repeats") in >> job.repeats;
  else if (item == "seed") in >> job.seed;
  else if (item == "buffer") read_buffer(job, in);
  else if (item == "pointer") job.pointers.push_back(read_pointer(in));
  else if (item == "launch") read_launch(job, in);
  else if (item == "cooperative" && !job.launches.empty()) {
    job.launches.back().is_cooperative = true;
    return true;
  } else if (item == "blocks" && !job.launches.empty()) {
    for (uint64_t block; in >> block;) job.launches.back().chosen_blocks.push_back(block);
    return true;
  } else if (item == "argument" && !job.launches.empty()) {
    size_t size;
    std::string hex;
    in >> size >> hex;
    job.launches.back().arguments.push_back(decode_hex(hex));
    return job.launches.back().arguments.back().size() == size;
  } else if (item == "argument_pointer" && !job.launches.empty()) {
    job.launches.back().pointers.push_back(read_pointer(in));
  } else {
    return false;
  }
  return !in.fail();
}

}  // namespace

std::vector<std::string> read_jobs(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> jobs;
  std::string line;
  while (std::getline(file, line)) {
    if (line == "case") jobs.emplace_back();
    else if (!jobs.empty()) jobs.back() += line + "\n";
  }
  return jobs;
}

std::optional<ReplayJob> read_job(const std::string& text, std::string& failure) {
  ReplayJob job;
  std::istringstream lines(text);
  std::string line, item;
  while (std::getline(lines, line)) {
    std::istringstream in(line);
    if (!(in >> item)) continue;
    if (!read_item(job, item, in)) {
      failure = "bad line in the job: " + line;
      return std::nullopt;
    }
  }
  return job;
}

}  // namespace emu
