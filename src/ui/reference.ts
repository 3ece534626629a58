import SwaggerUi from "swagger-ui-dist/swagger-ui-es-bundle.js";

/*
 * The API reference at `/docs`. A separate page, since Swagger UI is larger than everything else together.
 */

const domNode = document.getElementById("app")!;

SwaggerUi({
  domNode,
  url: domNode.dataset.description!,
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  // There are more operations than fit on a screen.
  tagsSorter: "alpha",
  validatorUrl: null,
});
