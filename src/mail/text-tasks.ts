// What is done with long texts, which a thread does. Each subject adds its own tasks, as plugins add to the types of Fastify.
import type { PropertyOfContacts, RecipientLinks, RenderedContact } from './rendering/contact-placeholders.ts'
import type { ContentSource } from './rendering/rendering.ts'
import type { EncodedText } from './transfer-encoding.ts'

/** By their kinds: what a task needs, which is copied into the thread, and what comes of it. */
export interface TextTasks {
  textFromHtml: { given: { html: string }; result: string }
  /** `addresses`: of images, by their content ids. */
  containedHtml: { given: { html: string; addresses: ReadonlyMap<string, string> }; result: { html: string; isCut: boolean } }
  mentionsRemoteImages: { given: { html: string }; result: boolean }
  encodedText: { given: { text: string }; result: EncodedText }
  quotedPrintableText: { given: { text: string }; result: EncodedText }
}

export type TextTaskKind = keyof TextTasks
export type TextTask = { [Kind in TextTaskKind]: { kind: Kind } & TextTasks[Kind]['given'] }[TextTaskKind]

export type TextWork = {
  /**
   * @param isOfRequest the text is one that the client just gave: it is refused if working on it takes too long
   * @throws Failure `unavailable` if it took too long, there is no thread, or too many texts wait; errors for faults of our own.
   */
  do<Task extends TextTask>(teamId: string, task: Task, options?: { isOfRequest?: boolean }): Promise<TextTasks[Task['kind']]['result']>
}

/** Whose values stand in a text. */
export type ContactOfText = { properties: readonly PropertyOfContacts[]; contact: RenderedContact; links: RecipientLinks }

/** `versionId`: what is read of it is kept; null if it may change. */
export type SourceOfText = { versionId: string | null; source: ContentSource }
