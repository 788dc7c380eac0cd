import { Button, Group, Modal, Stack } from '@mantine/core'
import { NotLoaded } from '../parts/ErrorAlert'
import { useMay } from '../session/me'
import { useGo } from '../shell/address'
import { CONTACT_JOB_TEXTS as TEXTS } from '../texts/contact-jobs'
import { JobProgress, StopJob, useContactJob } from './JobProgress'
import { isOver } from './jobs'

/** How far an act is that was just started. Null: none was. */
export const JobDialog = ({ id, onClose }: { id: string | null; onClose: () => void }) => id && <OpenDialog id={id} onClose={onClose} />

function OpenDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const may = useMay()
  const go = useGo()
  const { data: job, error, refetch } = useContactJob(id)
  return (
    <Modal opened onClose={onClose} title={job ? TEXTS.acts[job.act.type] : TEXTS.dialogTitle}>
      <Stack>
        {error && !job && <NotLoaded error={error} onRetry={() => void refetch()} />}
        {job && <JobProgress job={job} />}
        <Group justify="flex-end">
          <Button variant="subtle" onClick={() => go(`/contacts/jobs/${id}`)}>
            {TEXTS.seeJob}
          </Button>
          {job && !isOver(job) && may('contacts:write') && <StopJob job={job} />}
          <Button onClick={onClose}>{TEXTS.close}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
