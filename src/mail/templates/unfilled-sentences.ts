// Why an email cannot be made of a template, for the client.
import { isOfContact } from '../rendering/contact-placeholders.ts'

/** @param name of a placeholder that has neither a value nor a fallback */
export function sentenceAboutMissing(name: string): string {
  if (isOfContact(name))
    return `The template has \`{{{${name}}}}\`, which stands for something of a contact, and this email is to addresses. Give the placeholder a fallback, or use a variable.`
  if (name.includes('.')) return `The template has \`{{{${name}}}}\`, which no variable can fill in, because a key has no dots.`
  return `Missing \`template.variables.${name}\` field: the template has no fallback for it.`
}

/** @param name of a placeholder in the subject whose value has several lines */
export const sentenceAboutBroken = (name: string): string =>
  `The \`template.variables.${name}\` field must be one line, because it stands in the subject of the template.`
