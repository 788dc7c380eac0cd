-- What cannot be told is tried again later, alone, so that it does not hold up the others.
alter table automation_occurrences add column failures integer not null default 0, add column set_aside_until timestamptz(3);
create index automation_occurrences_next_idx on automation_occurrences (seq) where set_aside_until is null;
create index automation_occurrences_set_aside_idx on automation_occurrences (set_aside_until) where set_aside_until is not null;
