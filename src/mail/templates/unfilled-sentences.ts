// Why an email cannot be made of a template, for the client.
import { isOfContact } from '../rendering/contact-placeholders.ts'

/**
 * @param name of a placeholder that has neither a value nor a fallback
 * @param isForContact whether the email is to a contact, and not just to addresses
 */
export function sentenceAboutMissing(name: string, { isForContact }: { isForContact: boolean }): string {
  if (isOfContact(name) && isForContact)
    return `The template has \`{{{${name}}}}\`, which stands for nothing in an email to this contact. Correct the name, create the property at POST /contact-properties, or give the placeholder a fallback.`
  if (isOfContact(name))
    return `The template has \`{{{${name}}}}\`, which stands for something of a contact, and this email is to addresses. Give the placeholder a fallback, or use a variable.`
  if (name.includes('.')) return `The template has \`{{{${name}}}}\`, which no variable can fill in, because a key has no dots.`
  return `Missing \`template.variables.${name}\` field: the template has no fallback for it.`
}

/** @param name of a placeholder in the subject whose value has several lines */
export const sentenceAboutBroken = (name: string): string =>
  `The \`template.variables.${name}\` field must be one line, because it stands in the subject of the template.`
