import type { Caller } from '../../http/operation.ts'
import type { AuditContext } from './audit.context.ts'
import type { Writer } from './writers.ts'

/** Who writes with this credential. */
export async function writerOf(
  { auditLog }: { auditLog: Pick<AuditContext['repositories']['auditLog'], 'nameOfActor'> },
  { teamId, apiKeyId, person }: Pick<Caller, 'teamId' | 'apiKeyId' | 'person'>,
): Promise<Writer> {
  return { id: apiKeyId, name: person ? person.email : await auditLog.nameOfActor(teamId, apiKeyId) }
}
