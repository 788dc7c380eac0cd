/** SQL: the deliveries that are left of an email `e`. A delivery has the id of its recipient. */
export const OPEN_DELIVERIES = 'select from recipients of_email join deliveries d on d.id = of_email.id where of_email.email_id = e.id'
