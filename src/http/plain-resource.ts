// What the operations of a plain resource have in common: a record that the team does not have is a 404, a list has pages, and the answer to a change
// names the record by its kind and id. An operation that does more has a handler of its own.
import type { FastifyReply } from 'fastify'
import { notFound } from '../lib/failure.ts'
import { type PageRequest, pageRequest } from '../lib/page-request.ts'
import { endedWarnings, type Uses } from '../lib/uses.ts'
import type { PAGE_SIZES, Page } from '../lib/validation/common.schema.ts'
import { toList } from './resource.ts'

type Declared<Parameter extends string, Example> = { noun: string; parameter: Parameter; example: Example }
type ListRequest = { teamId: string; query: { limit?: number; after?: string; before?: string } }

/** @param object the kind of the record, as its answers say it */
export function plainResource<const Parameter extends string, Example extends { id: string }, const Kind extends string>(
  { noun, parameter, example }: Declared<Parameter, Example>,
  object: Kind,
) {
  type RecordRequest = { teamId: string; params: { [Name in Parameter]: string } }

  /** @throws Failure `notFound` if it is null */
  function found<Row>(row: Row | null): Row {
    if (row === null) throw notFound(noun)
    return row
  }

  const reference = <Fields extends { id: string }>(record: Fields | null) => ({ object, ...found(record) })
  const deletion = (removed: { id: string } | null) => ({ ...reference(removed && { id: removed.id }), deleted: true })

  return {
    found,
    reference,
    deletion,

    /** For a record that others used: they are named in the header `x-warnings`. */
    deletionOfUsed({ id, ended }: { id: string; ended: Uses }, reply: FastifyReply) {
      reply.warn(endedWarnings(ended))
      return deletion({ id })
    },

    /**
     * A handler.
     * @param whenOmitted what a missing `limit` means
     */
    list:
      <Row, Item>(
        list: (teamId: string, request: PageRequest) => Promise<Page<Row>>,
        toItem: (row: Row) => Item,
        whenOmitted: keyof typeof PAGE_SIZES,
      ) =>
      async ({ teamId, query }: ListRequest) =>
        toList(await list(teamId, pageRequest(query, whenOmitted)), toItem),

    /** A handler. */
    retrieve:
      <Row, Item>(find: (teamId: string, id: string) => Promise<Row | null>, toItem: (row: Row) => Item) =>
      async ({ teamId, params }: RecordRequest) =>
        toItem(found(await find(teamId, params[parameter]))),

    /** The answers, which the examples of operations show. */
    examples: {
      list: { object: 'list' as const, has_more: false, data: [example] },
      reference: reference({ id: example.id }),
      deletion: deletion(example),
    },
  }
}
