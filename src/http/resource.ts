// What a resource says about itself beside its schemas. The sections of the OpenAPI document, its 404s and its examples are made from it.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Id, type Page, type SearchPage } from '../lib/validation/common.schema.ts'
import type { Section } from './sections.ts'

/** The token of a signed link, as it stands in its path. */
export const LinkParams = Type.Object({ token: Type.String() })

type Declaration<Parameter extends string, Item extends TSchema> = {
  /** A resource that is a part of another one stands in the section of that one. */
  tag: Section
  /** The record in words: a 404 says that it was not found. */
  noun: string
  /** What its id is called in a path. */
  parameter: Parameter
  /** The record as lists show it. */
  item: Item
  /** Shared by the examples of all operations, so that they tell of the same record. */
  example: Static<Item> & { id: string }
}

/** Any resource: what the document needs of it. */
export type AnyResource = { tag: Section; noun: string; parameter: string; item: TSchema; example: { id: string } }

/** Declares a resource. It also needs its place in modules/routes.ts. */
export const Resource = <const Parameter extends `${string}_id`, Item extends TSchema>(declaration: Declaration<Parameter, Item>) =>
  declaration

/** The parameters of a path that names one record of the resource by its id. */
export const IdParams = <Parameter extends string>({ parameter, noun }: { parameter: Parameter; noun: string }) =>
  Type.Object({ [parameter]: Id(`Id of the ${withinSentence(noun)}.`) } as Record<Parameter, ReturnType<typeof Id>>)

/** `API key` begins with an abbreviation, which stays as it is. */
const withinSentence = (noun: string): string => noun.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())

/** The envelope of every list (spec, Conventions 6). */
export const toList = <Row, Item>(page: Page<Row>, toItem: (row: Row) => Item): { object: 'list'; has_more: boolean; data: Item[] } => ({
  object: 'list',
  has_more: page.hasMore,
  data: page.rows.map(toItem),
})

/** The envelope of a search. */
export const toSearchedList = <Row, Item>({ searchedTo, ...page }: SearchPage<Row>, toItem: (row: Row) => Item) => ({
  ...toList(page, toItem),
  ...(searchedTo !== null && { searched_to: searchedTo }),
})
