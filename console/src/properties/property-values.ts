/** What is typed for a property, as the API takes it: null for nothing. What is no number stays a text, about which the API has a sentence. */
export function typedValue(text: string, type: 'string' | 'number'): string | number | null {
  const typed = text.trim()
  if (typed === '') return null
  const number = Number(typed)
  return type === 'number' && Number.isFinite(number) ? number : typed
}

/** How a message names it. */
export const placeholderOf = (key: string): string => `{{{contact.${key}}}}`
