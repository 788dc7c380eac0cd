-- What each team received in each quarter of an hour, added up as messages are stored.
create table received_amounts (
  team_id uuid not null,
  bucket timestamptz(3) not null,
  messages integer not null,
  bytes bigint not null,
  primary key (team_id, bucket)
);
insert into received_amounts (team_id, bucket, messages, bytes)
select team_id, date_bin('15 minutes', created_at, timestamptz 'epoch'), count(*), sum(bytes) from received_emails group by 1, 2;
