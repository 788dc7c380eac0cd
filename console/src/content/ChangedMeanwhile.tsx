import { Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorAlert } from '../parts/ErrorAlert'
import { AUTOSAVE_TEXTS as TEXTS } from '../texts/content'

/** The status of the API's answer to a change that has not seen the last one. */
export const CHANGED_MEANWHILE = 409

/**
 * Asks what stays, once someone else has changed the same.
 *
 * @param error with which the API refused the change; null while there is none
 * @param children the buttons that answer
 */
export const ChangedMeanwhile = ({ error, children }: { error: Error | null; children: ReactNode }) => (
  <Modal opened={error !== null} onClose={() => {}} withCloseButton={false} title={TEXTS.changedTitle} size="lg">
    <Stack>
      {error !== null && <ErrorAlert error={error} color="orange" />}
      <Group justify="flex-end">{children}</Group>
    </Stack>
  </Modal>
)
