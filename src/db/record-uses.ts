// What uses a record that is to be deleted. Those that use it come after it in the order of the house, so what finds and ends them is handed to the
// repository of the record.
import type { Use } from '../lib/uses.ts'
import type { Execute } from './database.ts'

/** Each runs in the transaction that deletes the record. */
export type RecordUses = {
  /** The enabled automations with a step that sends a template. */
  ofTemplate(execute: Execute, teamId: string, template: { id: string; alias: string | null }): Promise<Use[]>
  /** The enabled automations with a step that adds contacts to a segment, and the scheduled broadcasts to it. */
  ofSegment(execute: Execute, teamId: string, segmentId: string): Promise<Use[]>
  /** The enabled automations with a step that sends mail of a topic, and the scheduled broadcasts of it. */
  ofTopic(execute: Execute, teamId: string, topicId: string): Promise<Use[]>
  /** The scheduled broadcasts and emails from a domain. */
  ofDomain(execute: Execute, teamId: string, domain: string): Promise<Use[]>
  /** Automations are disabled, broadcasts are drafts again, and emails are canceled, each with an event. */
  end(execute: Execute, teamId: string, ending: UsesEnding): Promise<void>
}

/** `reasons`: a sentence for people, of the automations and of the broadcasts. */
export type UsesEnding = { uses: readonly Use[]; reasons: { automation?: string; broadcast?: string }; now: Date }
