-- What a search was asked with (its program's arguments, sources, flags, commands), so that it can be gone on with as it was.

alter table jobs add column asked text;
