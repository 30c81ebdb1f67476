-- The last answer of each command on a file, so that whoever looks next sees the same picture. A cache: replaced, never history.

create table analyses (
  path text not null,                 -- JSON strings, as elsewhere
  workspace text not null,
  command text not null,
  text_hash text not null,            -- sha256 of the text that was looked at, in hex
  ended_ms integer not null,
  events blob not null,               -- zlib of JSON lines
  primary key (path, command)
) without rowid;
