-- Recordings lie in files beside the memory file; these rows say which, and which had to go.

create table recordings (
  proposal text primary key references proposals (id),
  manifest text not null,             -- hash of recording.json
  kept_ms integer not null,
  evicted_ms integer                  -- null while it can be replayed
);

create table recording_blobs (
  proposal text not null references recordings (proposal),
  blob text not null,                 -- sha256 in hex, the file's name
  size_bytes integer not null,
  primary key (proposal, blob)
) without rowid;
create index recording_blobs_by_blob on recording_blobs (blob);
