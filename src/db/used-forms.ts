// The forms of the console that have made something, so that a form that is sent again makes nothing else, also after that was deleted.
import type { Database, RecordTransaction } from './database.ts'

/** A form was sent before: what it asks for was made then, and nothing else is. */
export class FormUsed extends Error {
  constructor() {
    super('This form was sent before.')
  }
}

const FORGOTTEN_AT_ONCE = 1_000

type FormUse = { id: string; teamId: string; usedAt: Date }

/** Runs in the transaction of what the form makes. False: it was sent before, by this team or another. */
export async function useForm({ tables }: Pick<RecordTransaction, 'tables'>, use: FormUse): Promise<boolean> {
  return (await tables.usedForm.createMany({ data: [use], skipDuplicates: true })).count > 0
}

/**
 * Uses the form if there is one: clients of the API make the record without a form.
 * @throws FormUsed, which undoes the transaction.
 */
export async function useFormIfAny(
  { tables }: Pick<RecordTransaction, 'tables'>,
  { id, ...use }: Omit<FormUse, 'id'> & { id: string | undefined },
): Promise<void> {
  if (id !== undefined && !(await useForm({ tables }, { id, ...use }))) throw new FormUsed()
}

export function usedFormRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    /** Marks something that works once as used. False: it was used before, by this process or another. */
    useAcrossTeams: (use: FormUse): Promise<boolean> => useForm({ tables }, use),

    /** Forgets those that were sent before a time, a batch at a time; returns how many. */
    async forgetAcrossTeams(before: Date): Promise<number> {
      return (await tables.usedForm.deleteMany({ where: { usedAt: { lt: before } }, limit: FORGOTTEN_AT_ONCE })).count
    },
  }
}
