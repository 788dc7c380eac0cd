-- The newest mail of a team to an address, however much of it other teams send there.
drop index recipients_address_idx;
create index recipients_address_idx on recipients (hashtextextended(lower(address), 0), team_id, id);
