import { useRecord } from '../api/queries'
import { useMay } from '../session/me'

// What records are called that another one knows by their ids only. Until it is known, and where the role does not see it, the id stands there.

const ID_SHOWN = 13
const Name = ({ name, id }: { name: string | undefined; id: string }) => <bdi title={id}>{name || `${id.slice(0, ID_SHOWN)}…`}</bdi>

export function ContactAddress({ id }: { id: string }) {
  const may = useMay()
  const { data } = useRecord('/contacts/{contact_id}', { path: { contact_id: id } }, { isEnabled: may('contacts:read') })
  return <Name name={data?.email} id={id} />
}

export function TemplateName({ id }: { id: string }) {
  const may = useMay()
  const { data } = useRecord('/templates/{template_id}', { path: { template_id: id } }, { isEnabled: may('templates:read') })
  return <Name name={data?.name} id={id} />
}

export function TopicName({ id }: { id: string }) {
  const may = useMay()
  const { data } = useRecord('/topics/{topic_id}', { path: { topic_id: id } }, { isEnabled: may('topics:read') })
  return <Name name={data?.name} id={id} />
}

export function SegmentName({ id }: { id: string }) {
  const may = useMay()
  const { data } = useRecord('/segments/{segment_id}', { path: { segment_id: id } }, { isEnabled: may('segments:read') })
  return <Name name={data?.name} id={id} />
}
