-- How often a complaint was put off because its signature could not be judged yet. Each time it waits longer.
alter table inbound_messages add column postponed integer not null default 0;
-- The peers that wait, so that each gets its turn however many messages another has sent.
create index inbound_messages_waiting_peer_idx on inbound_messages (peer, id) where state = 'waiting';
