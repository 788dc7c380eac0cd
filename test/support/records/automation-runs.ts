import { addRun } from '../builders/automations.ts'
import type { RecordBuilder } from './record-builder.ts'

/** A run of a contact who waits. */
export const automationRunRecord: RecordBuilder = {
  make: async (service, of) => addRun(service, await of('automation_id')),
  // Its automation shows it.
  paths: () => [],
}
