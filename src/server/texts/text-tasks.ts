// What is done with long texts in a thread.

import { Failure } from '../../lib/failure.ts'
import { checkHtml } from '../../mail/checks/html-checks.ts'
import { containedHtml, mentionsRemoteImages } from '../../mail/html/contained-html.ts'
import { textFromHtml } from '../../mail/html/text-from-html.ts'
import { contactPlaceholders, contactValues } from '../../mail/rendering/contact-placeholders.ts'
import { createReadContents, READ_CONTENTS_LENGTH_MAX, type ReadContent, readContent, readText } from '../../mail/rendering/rendering.ts'
import type { ContactOfText, SourceOfText, TextTask, TextTaskKind, TextTasks } from '../../mail/text-tasks.ts'
import { encodedText, quotedPrintableText } from '../../mail/transfer-encoding.ts'
import { broadcastHtml, fillBroadcast } from '../../modules/broadcasts/broadcast-content.ts'
import { type FilledTemplate, fillTemplate } from '../../modules/templates/filled-template.ts'
import type { TemplateFilling } from '../../modules/templates/template-texts.ts'
import { findTrackablePlaces, trackedHtml } from '../../modules/tracking/tracked-html.ts'

/** `refused`: what the sentence of a failure says about what was given. */
export type TextAnswer = { done: TextTasks[TextTaskKind]['result'] } | { refused: string }

export async function doTextTask(task: TextTask): Promise<TextAnswer> {
  try {
    return { done: await runTask(task) }
  } catch (error) {
    if (error instanceof Failure && error.kind === 'validation') return { refused: error.message }
    throw error
  }
}

async function runTask(task: TextTask): Promise<TextTasks[TextTaskKind]['result']> {
  switch (task.kind) {
    case 'textFromHtml':
      return textFromHtml(task.html)
    case 'containedHtml':
      return containedHtml(task.html, (contentId) => task.addresses.get(contentId) ?? null)
    case 'mentionsRemoteImages':
      return mentionsRemoteImages(task.html)
    case 'encodedText':
      return encodedText(task.text)
    case 'quotedPrintableText':
      return quotedPrintableText(task.text)
    case 'trackablePlaces':
      return findTrackablePlaces(task.html, task.rules)
    case 'trackedHtml': {
      const { html, places, links, atEnd } = task
      const inOrder = links.values()
      return trackedHtml(html, places, { linkTo: () => inOrder.next().value ?? null, atEnd })
    }
    case 'htmlChecks':
      return checkHtml(task.html)
    case 'broadcastHtml':
      return broadcastHtml(task.html)
    case 'broadcast':
      return fillBroadcast(await readSource(task), toContactValues(task.contact), task)
    case 'template':
      return fillReadTemplate(await readSource(task), task.filling)
  }
}

/** Fewer than the main thread keeps: there are two such threads. */
const contents = createReadContents<null, ReadContent>(READ_CONTENTS_LENGTH_MAX / 2, readContent)

async function readSource({ versionId, source }: SourceOfText): Promise<ReadContent> {
  if (versionId === null) return readContent(source)
  const found = await contents(versionId, async () => ({ source, about: null }))
  return found?.content ?? readContent(source)
}

const toContactValues = ({ properties, contact, links }: ContactOfText) => contactValues(contactPlaceholders(properties), contact, links)

export function fillReadTemplate(
  content: ReadContent,
  { subject, contact, ofOthers, ...options }: TemplateFilling,
): FilledTemplate | 'too long' {
  const ownSubject = subject === undefined ? content.subject : subject && readText(subject, 'line')
  return fillTemplate(
    { ...content, subject: typeof ownSubject === 'object' ? ownSubject : null },
    {
      ...options,
      ...(contact && { contactValue: toContactValues(contact) }),
      ...(ofOthers && { isOfOthers: (key: string) => ofOthers.has(key) }),
    },
  )
}
