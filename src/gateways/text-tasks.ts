// What is done with long texts in a thread.

import type { PropertyOfContacts } from '../lib/audience/property-of-contacts.ts'
import { Failure } from '../lib/failure.ts'
import { broadcastHtml, type FilledBroadcast, fillBroadcast } from '../mail/broadcasts/broadcast-content.ts'
import type { WrittenLink } from '../mail/broadcasts/written-links.ts'
import { textFromHtml } from '../mail/html/text-from-html.ts'
import { contactPlaceholders, contactValues, type RecipientLinks, type RenderedContact } from '../mail/rendering/contact-placeholders.ts'
import {
  type ContentSource,
  createReadContents,
  READ_CONTENTS_LENGTH_MAX,
  type ReadContent,
  readContent,
} from '../mail/rendering/read-contents.ts'
import { readText } from '../mail/rendering/rendering.ts'
import { type DeclaredVariable, type FilledTemplate, fillTemplate } from '../mail/templates/filled-template.ts'
import type { LinkRules } from '../mail/tracking/link-rules.ts'
import { findTrackablePlaces, type TrackablePlaces, trackedHtml } from '../mail/tracking/tracked-html.ts'
import type { VariableValues } from '../schemas/template-variables.ts'

/** Whose values stand in a text. */
export type ContactOfText = { properties: readonly PropertyOfContacts[]; contact: RenderedContact; links: RecipientLinks }

/** `versionId`: what is read of it is kept; null if it may change. */
export type SourceOfText = { versionId: string | null; source: ContentSource }

/** See `fillTemplate`. `subject`: another one than that of the template, or null for none. `ofOthers`: variables whose values come from other people. */
export type TemplateFilling = {
  variables: readonly DeclaredVariable[]
  values: VariableValues
  field: string
  bytesMax?: number
  subject?: string | null
  contact?: ContactOfText
  ofOthers?: ReadonlySet<string>
}

/** By their kinds: what a task needs, which is copied into the thread, and what comes of it. */
export type TextTasks = {
  textFromHtml: { given: { html: string }; result: string }
  trackablePlaces: { given: { html: string; rules: LinkRules }; result: TrackablePlaces }
  /** `links`: what takes the place of each link, or null. */
  trackedHtml: { given: { html: string; places: TrackablePlaces; links: (string | null)[]; atEnd: string }; result: string }
  broadcastHtml: { given: { html: string }; result: { html: string; links: WrittenLink[] } }
  broadcast: {
    given: SourceOfText & { contact: ContactOfText; bytesMax: number; isForMail: boolean }
    result: FilledBroadcast | 'too long'
  }
  template: { given: SourceOfText & { filling: TemplateFilling }; result: FilledTemplate | 'too long' }
}

export type TextTaskKind = keyof TextTasks
export type TextTask = { [Kind in TextTaskKind]: { kind: Kind } & TextTasks[Kind]['given'] }[TextTaskKind]
/** `refused`: what the sentence of a failure says about what was given. */
export type TextAnswer = { done: TextTasks[TextTaskKind]['result'] } | { refused: string }

export async function doTextTask(task: TextTask): Promise<TextAnswer> {
  try {
    return { done: await resultOf(task) }
  } catch (error) {
    if (error instanceof Failure && error.kind === 'validation') return { refused: error.message }
    throw error
  }
}

async function resultOf(task: TextTask): Promise<TextTasks[TextTaskKind]['result']> {
  switch (task.kind) {
    case 'textFromHtml':
      return textFromHtml(task.html)
    case 'trackablePlaces':
      return findTrackablePlaces(task.html, task.rules)
    case 'trackedHtml': {
      const { html, places, links, atEnd } = task
      const inOrder = links.values()
      return trackedHtml(html, places, { linkTo: () => inOrder.next().value ?? null, atEnd })
    }
    case 'broadcastHtml':
      return broadcastHtml(task.html)
    case 'broadcast':
      return fillBroadcast(await contentOf(task), valuesOf(task.contact), task)
    case 'template':
      return fillReadTemplate(await contentOf(task), task.filling)
  }
}

/** Fewer than the main thread keeps: there are two such threads. */
const contents = createReadContents<null, ReadContent>(READ_CONTENTS_LENGTH_MAX / 2, readContent)

async function contentOf({ versionId, source }: SourceOfText): Promise<ReadContent> {
  if (versionId === null) return readContent(source)
  const found = await contents(versionId, async () => ({ source, about: null }))
  return found?.content ?? readContent(source)
}

const valuesOf = ({ properties, contact, links }: ContactOfText) => contactValues(contactPlaceholders(properties), contact, links)

export function fillReadTemplate(
  content: ReadContent,
  { subject, contact, ofOthers, ...options }: TemplateFilling,
): FilledTemplate | 'too long' {
  const ownSubject = subject === undefined ? content.subject : subject && readText(subject, 'line')
  return fillTemplate(
    { ...content, subject: typeof ownSubject === 'object' ? ownSubject : null },
    {
      ...options,
      ...(contact && { contactValue: valuesOf(contact) }),
      ...(ofOthers && { isOfOthers: (key: string) => ofOthers.has(key) }),
    },
  )
}
