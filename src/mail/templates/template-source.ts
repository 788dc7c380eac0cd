import type { ContentSource } from '../rendering/read-contents.ts'

type TemplateContent = { subject: string | null; html: string; text: string | null }

/** What an email takes from a version of a template: what is read, and what else belongs to it. Null if the version is gone. */
export const templateSource = <Content extends TemplateContent>(
  content: Content | null,
): { source: ContentSource; about: Content } | null =>
  content && {
    source: { subject: content.subject, html: content.html, text: content.text, previewText: null },
    about: { ...content, subject: null, html: '', text: null },
  }
