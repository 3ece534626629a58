import SwaggerUi from "swagger-ui";

/*
 * The description of the API for people, at `/docs`. It is a page of its own, since the library is larger than all else.
 */

const domNode = document.getElementById("app")!;

SwaggerUi({
  domNode,
  url: domNode.dataset.description!,
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  // It knows more operations than fit a page.
  tagsSorter: "alpha",
  validatorUrl: null,
});
