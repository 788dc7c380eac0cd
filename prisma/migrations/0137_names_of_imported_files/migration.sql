-- The name of the file, by which people tell imports apart; null for files without a name, and for imports before this.
alter table contact_imports add column file_name text;
