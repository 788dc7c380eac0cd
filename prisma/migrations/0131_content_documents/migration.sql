-- What the editor writes, from which it makes the HTML and the text: JSON as text, which nothing here reads.
alter table template_versions add column content_document text;
alter table template_versions add column autosaved_by uuid;
alter table template_versions add column autosave_began_at timestamptz(3);
alter table broadcasts add column content_document text;
