-- The newest mail to an address. As small as the index that it replaces, because a hash stands for the address: queries compare the address too.
drop index recipients_address_idx;
create index recipients_address_idx on recipients (hashtextextended(lower(address), 0), id);
