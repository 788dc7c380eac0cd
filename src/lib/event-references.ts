import { isId } from './ids.ts'

/** How a path names an event. A name never has the form of an id. */
export type EventReference = { id: string } | { name: string }

export const eventReference = (text: string): EventReference => (isId(text) ? { id: text.toLowerCase() } : { name: text })
