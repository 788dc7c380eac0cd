// What is done with long texts in a thread.
import { Failure } from '../lib/failure.ts'
import { textFromHtml } from '../mail/html/text-from-html.ts'
import type { LinkRules } from '../mail/tracking/link-rules.ts'
import { findTrackablePlaces, type TrackablePlaces, trackedHtml } from '../mail/tracking/tracked-html.ts'

/** By their kinds: what a task needs, which is copied into the thread, and what comes of it. */
export type TextTasks = {
  textFromHtml: { given: { html: string }; result: string }
  trackablePlaces: { given: { html: string; rules: LinkRules }; result: TrackablePlaces }
  /** `links`: what takes the place of each link, or null. */
  trackedHtml: { given: { html: string; places: TrackablePlaces; links: (string | null)[]; atEnd: string }; result: string }
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
  }
}
