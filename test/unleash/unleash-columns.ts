/** The columns that tables of Unleash have both in 6.4.1 and in 8.2.0. */
export const UNLEASH_COLUMNS: Readonly<Record<string, string>> = {
  settings: "name content",
  banners: "id enabled message variant sticky icon link link_text dialog_title dialog created_at",
  environments: "name created_at sort_order type enabled protected",
  roles: "id name description type created_at updated_at created_by_user_id",
  role_permission: "role_id created_at environment permission created_by_user_id id",
  users:
    "id name username email image_url password_hash login_attempts created_at seen_at settings permissions deleted_at is_service created_by_user_id is_system scim_id scim_external_id first_seen_at",
  groups: "id name description created_by created_at mappings_sso root_role_id scim_id scim_external_id",
  group_user: "group_id user_id created_by created_at",
  projects: "id name description created_at health updated_at archived_at",
  project_settings:
    "project default_stickiness project_mode feature_limit feature_naming_pattern feature_naming_example feature_naming_description",
  project_environments: "project_id environment_name default_strategy",
  favorite_projects: "project user_id created_at",
  role_user: "role_id user_id created_at project created_by_user_id",
  group_role: "group_id role_id created_by created_at project",
  api_tokens:
    "secret username type created_at expires_at seen_at environment alias token_name created_by_user_id",
  api_token_project: "secret project",
  tags: "type value created_at",
  tag_types: "name description icon created_at",
  context_fields: "name description sort_order legal_values created_at updated_at stickiness",
  segments: "id name description created_by created_at constraints segment_project_id",
  strategies: "created_at name description parameters built_in deprecated sort_order display_name title",
  features:
    "created_at name description variants type stale project last_seen_at impression_data archived_at potentially_stale created_by_user_id archived",
  feature_environments: "environment feature_name enabled variants last_seen_at",
  feature_strategies:
    "id feature_name project_name environment strategy_name parameters constraints sort_order created_at title disabled variants created_by_user_id milestone_id",
  feature_strategy_segment: "feature_strategy_id segment_id created_at",
  feature_tag: "feature_name tag_type tag_value created_at created_by_user_id",
  feature_lifecycles: "feature stage created_at status status_value",
  dependent_features: "parent child enabled variants",
  favorite_features: "feature user_id created_at",
  last_seen_at_metrics: "feature_name environment last_seen_at",
  addons: "id provider description enabled parameters events created_at projects environments",
  events:
    "id created_at type created_by data tags project environment feature_name pre_data announced created_by_user_id ip",
  integration_events: "id integration_id created_at state state_details event details",
  client_applications:
    "app_name created_at updated_at seen_at strategies description icon url color announced created_by",
  client_applications_usage: "app_name project environment",
  client_instances: "app_name instance_id client_ip last_seen created_at sdk_version environment",
  client_metrics_env: "feature_name app_name environment timestamp yes no",
  client_metrics_env_variants: "feature_name app_name environment timestamp variant count",
};
