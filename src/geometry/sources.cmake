# Compiled sources of the room geometry, relative to it.
set(geometry_SRCS itkRadiographGeometry.cxx itkRadiographGeometryJSON.cxx itkViewBuilders.cxx)
list(APPEND geometry_SRCS itkRadiographGeometryRTK.cxx itkXMLElement.cxx)
