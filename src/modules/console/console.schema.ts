import { Type } from '@sinclair/typebox'
import { Resource } from '../../http/resource.ts'
import { PERSON_SECTIONS } from '../../http/sections.ts'
import { EXAMPLE_ID, Id, Kind } from '../../lib/validation/common.schema.ts'

/** What the operations of the console that are of no other resource stand under. */
export const CONSOLE = Resource({
  tag: PERSON_SECTIONS.console,
  noun: 'Console',
  parameter: 'console_id',
  item: Type.Object({ object: Kind('console'), id: Id('Id of the team that the person looks at.') }),
  example: { object: 'console', id: EXAMPLE_ID },
})
