import { isId } from './ids.ts'

/** How a template is named, in a path or in an email. An alias never has the form of an id. */
export type TemplateReference = { id: string } | { alias: string }

export const templateReference = (text: string): TemplateReference => (isId(text) ? { id: text.toLowerCase() } : { alias: text })
