// What a message that was handed in holds below its header.
import type { Readable } from 'node:stream'
import type { ReceivedFile } from '../../lib/inbound/received-content.ts'
import { explainProblem } from '../../lib/problem.ts'
import type { SubmittedText } from '../../lib/submitted-content.ts'
import { doAtOnce } from '../../lib/work-in-pieces.ts'
import { ATTACHMENTS_MAX } from '../../schemas/emails.ts'
import { checkFileType } from '../attachment-rules.ts'
import { encodedTextSize } from '../encoded-text.ts'
import { type Excess, LEVELS_MAX, PARTS_MAX, type Parts, type StoreFile, splitMessage } from '../received/message-parts.ts'
import { receivedFile, textsOf } from '../received/received-content.ts'
import { fileNames } from './file-names.ts'
import { createFingerprint } from './fingerprint.ts'
import { htmlPartOf } from './html-part.ts'

/** It can be handed from one thread to another. */
export type SubmissionContent = {
  html: SubmittedText
  text: SubmittedText
  /** Bytes of both as they are sent, to about one percent. Counting takes a processor 90 ms for a text of 15 MB. */
  textBytes: number
  files: ReceivedFile[]
  htmlPart: number | null
  /** Why it is not sent, in a sentence; null if nothing speaks against it. */
  refusal: string | null
  /** Null unless it was asked for. */
  fingerprint: string | null
}

type Options = { storeFile: StoreFile; hasFingerprint: boolean }

/** @throws what the message throws as it is read, and what storing a file throws. */
export async function readSubmissionContent(
  message: Readable | Buffer,
  { storeFile, hasFingerprint }: Options,
): Promise<SubmissionContent> {
  const fingerprint = hasFingerprint ? createFingerprint() : null
  const parts = await splitMessage(message, storeFile, { watch: fingerprint?.add, keepsNamed: true })
  const { html, text } = textsOf(parts.bodies)
  return {
    ...{ html, text, textBytes: doAtOnce(encodedTextSize(html ?? '')) + doAtOnce(encodedTextSize(text ?? '')) },
    files: parts.files.map(receivedFile),
    htmlPart: htmlPartOf(parts),
    refusal: refusalOf(parts),
    fingerprint: fingerprint?.digest() ?? null,
  }
}

/** What is beyond these would be sent without having been looked at. The text is not looked at. */
const REFUSALS: Record<Excess, string | null> = {
  levels: `The message has parts in more than ${LEVELS_MAX} levels.`,
  parts: `The message has more than ${PARTS_MAX} parts, or a part with a header of more than 1 MB.`,
  files: `The message must have at most ${ATTACHMENTS_MAX} attachments.`,
  text: null,
}

function refusalOf({ files, excesses }: Parts): string | null {
  for (const excess of excesses) if (REFUSALS[excess] !== null) return REFUSALS[excess]
  if (files.length > ATTACHMENTS_MAX) return REFUSALS.files
  for (const name of files.flatMap(({ node }) => fileNames(node))) {
    const problem = checkFileType(name)
    if (problem !== null) return explainProblem('filename', problem, name)
  }
  return null
}
