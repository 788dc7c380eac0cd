/** A form was sent before: what it asks for was made then, and nothing else is. */
export class FormUsed extends Error {
  constructor() {
    super('This form was sent before.')
  }
}
