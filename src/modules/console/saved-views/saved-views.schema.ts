import { Type } from '@sinclair/typebox'
import { IdParams, Resource } from '../../../http/resource.ts'
import { PERSON_SECTIONS } from '../../../http/sections.ts'
import { teamLimit } from '../../../lib/limits/team-limit.ts'
import {
  Deletion,
  EXAMPLE_TIME,
  Id,
  Kind,
  Name,
  Named,
  OptionalNotNull,
  OptionalNullable,
  Ref,
  Timestamp,
} from '../../../lib/validation/common.schema.ts'

const NAME_LENGTH_MAX = 100
const PAGE_LENGTH_MAX = 50
/** No address of a list has a longer one. */
const QUERY_LENGTH_MAX = 2_000
/** The limit for a person in one team: a menu shows all of them. */
export const SAVED_VIEWS_MAX = 100
export const SAVED_VIEW_LIMIT = teamLimit(SAVED_VIEWS_MAX, 'saved views')

const name = Name({
  lengthMax: NAME_LENGTH_MAX,
  description: `Name of the view: at most ${NAME_LENGTH_MAX} characters, at least one of them visible.`,
  examples: ['Bounced this week'],
})
const page = Type.String({
  minLength: 1,
  maxLength: PAGE_LENGTH_MAX,
  pattern: '^[a-z][a-z0-9/-]*$',
  'x-rule': 'must be the address of a page without its query: small letters, digits, `/` and `-`',
  description: 'The page that it is a view of, as the console names it.',
  examples: ['emails'],
})
const query = Type.String({
  maxLength: QUERY_LENGTH_MAX,
  // No text in the database has NUL.
  pattern: '^[^\\u0000]*$',
  description: 'The filters, as the query of the address of that page.',
  examples: ['status=bounced'],
})

const isShared = Type.Boolean({ description: 'Whether everyone in the team sees the view.' })

export const SavedViewCreate = Named(
  'SavedViewCreate',
  Type.Object({ name, page, query, is_shared: OptionalNullable(isShared) }, { description: 'A view to save.' }),
)
export const SavedViewUpdate = Named(
  'SavedViewUpdate',
  Type.Object(
    { name: OptionalNotNull(name), query: OptionalNotNull(query), is_shared: OptionalNotNull(isShared) },
    { description: 'Fields of a view to change.' },
  ),
)

export const SavedView = Named(
  'SavedView',
  Type.Object(
    {
      object: Kind('saved_view'),
      id: Id('Id of the view.'),
      name: Type.String({ description: 'Name of the view.', examples: ['Bounced this week'] }),
      page: Type.String({ description: 'The page that it is a view of.', examples: ['emails'] }),
      query: Type.String({ description: 'The filters, as the query of the address of that page.', examples: ['status=bounced'] }),
      is_shared: isShared,
      is_own: Type.Boolean({ description: 'Whether the person who is signed in has saved it. No one else can change it.' }),
      created_at: Timestamp('When it was saved.'),
      updated_at: Timestamp('When it was last changed.'),
    },
    { description: 'A list with filters that a person has saved, for themselves or for the team.' },
  ),
)

export const SavedViewList = Named(
  'SavedViewList',
  Type.Object(
    {
      object: Kind('list'),
      has_more: Type.Boolean({ description: 'Always `false`: all views are in the list.' }),
      data: Type.Array(Ref(SavedView), { description: 'The views, newest first.' }),
    },
    { description: 'The views of a person.' },
  ),
)

export const SAVED_VIEWS = Resource({
  tag: PERSON_SECTIONS.console,
  noun: 'Saved view',
  parameter: 'saved_view_id',
  item: SavedView,
  example: {
    object: 'saved_view',
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4cf1',
    name: 'Bounced this week',
    page: 'emails',
    query: 'status=bounced',
    is_shared: false,
    is_own: true,
    created_at: EXAMPLE_TIME,
    updated_at: EXAMPLE_TIME,
  },
})

export const SavedViewParams = IdParams(SAVED_VIEWS)
export const SavedViewDeletion = Deletion('SavedViewDeletion', 'saved_view')
