// What the service stored itself, such as the payload of a job, is validated like a request when it is read: another version of the service may
// have written it.
import type { Static, TSchema } from '@sinclair/typebox'
import type { ValidateFunction } from 'ajv'
import { EMAIL_NOTIFICATIONS } from '../email-events.ts'
import type { EmailNotificationData } from '../notifications.ts'
import { exactValidator } from './body-validator.ts'

export type StoredValue<T> = { value: T } | { problem: string }

export function createReader<T extends TSchema>(schema: T): (value: unknown) => StoredValue<Static<T>> {
  let validate: ValidateFunction<Static<T>> | undefined
  return (value) => {
    validate ??= exactValidator<Static<T>>(schema)
    if (validate(value)) return { value }
    const [{ instancePath = '', message = 'is not valid' } = {}] = validate.errors ?? []
    return { problem: `${instancePath} ${message}`.trim() }
  }
}

const emailNotifications = new Map(Object.entries(EMAIL_NOTIFICATIONS).map(([type, schema]) => [type, createReader(schema)]))

export const readEmailNotification = (type: string, data: unknown): StoredValue<EmailNotificationData> =>
  emailNotifications.get(type)?.(data) ?? { problem: 'is of an unknown type' }
