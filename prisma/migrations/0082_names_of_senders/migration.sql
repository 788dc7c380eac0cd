alter table received_emails add column from_name text;
