// What a resource says about itself beside its schemas. The sections of the OpenAPI document, its 404s and its examples are made from it.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Id } from './common.ts'

/** A section of the document. A resource that is a part of another one stands in the section of that one. */
export type Tag = { name: string; description: string }

type Declaration<Parameter extends string, Item extends TSchema> = {
  tag: Tag
  /** The record in words: a 404 says that it was not found. */
  noun: string
  /** What its id is called in a path. */
  parameter: Parameter
  /** The record as lists show it. */
  item: Item
  /** Shared by the examples of all operations, so that they tell of the same record. */
  example: Static<Item> & { id: string }
}

/** Declares a resource. It also needs its line in resources.ts. */
export const Resource = <const Parameter extends `${string}_id`, Item extends TSchema>(declaration: Declaration<Parameter, Item>) =>
  declaration

/** The parameters of a path that names one record of the resource by its id. */
export const IdParams = <Parameter extends string>({ parameter, noun }: { parameter: Parameter; noun: string }) =>
  Type.Object({ [parameter]: Id(`Id of the ${withinSentence(noun)}.`) } as Record<Parameter, ReturnType<typeof Id>>)

/** `API key` begins with an abbreviation, which stays as it is. */
const withinSentence = (noun: string): string => noun.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())
