-- Whether its emails must not begin just now, although it is being sent: the domain of its sender is not verified.
alter table broadcasts add column is_waiting boolean not null default false;
