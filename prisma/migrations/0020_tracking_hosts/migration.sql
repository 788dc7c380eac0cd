-- Every host that ever led readers of a domain here. Links in mail that was delivered lead there, whatever became of the domain.
create table tracking_hosts (
  host text not null primary key,
  verified_at timestamptz(3) not null
);
insert into tracking_hosts (host, verified_at)
select tracking_host, min(coalesce(checked_at, created_at)) from domains where tracking_host is not null group by 1;
