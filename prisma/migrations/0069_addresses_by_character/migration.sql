-- The beginning of an address is found by the index of addresses, whichever order the database has for texts.
alter table contacts alter column email type text collate "C";
