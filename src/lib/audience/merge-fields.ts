// What the emails of a broadcast have of their contacts.

/** Something that a contact has; a number is that of a property. */
export type ContactField = 'email' | 'firstName' | 'lastName' | number

/** The values that are not empty: names as they are called here, properties by their numbers. */
export type MergeValues = Record<string, string | number>

/** Characters of a contact's values that would end the line, show nothing, or change the direction of writing. For PostgreSQL and for us. */
export const UNSAFE_IN_SUBJECT = String.raw`[\u0001-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+`
/** Characters of a subject with the values of a contact: one line (RFC 5322, section 2.1.1). */
export const FILLED_SUBJECT_LENGTH_MAX = 998

/** A part of a subject: text, or a field of the contact with what stands in its place if it is empty. */
export type SubjectPart = string | { field: ContactField; fallback: string }
